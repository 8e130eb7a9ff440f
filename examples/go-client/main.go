// Calls the API with a client that oapi-codegen generated from its contract. From this folder, with Go 1.24 or later:
//
//	curl -so openapi.json http://127.0.0.1:8080/openapi.json
//	go generate && go run . http://127.0.0.1:8080
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"squitter-example/api"
)

//go:generate mkdir -p api
//go:generate go tool oapi-codegen -generate types,client -package api -o api/api.gen.go openapi.json

func main() {
	baseURL := "http://127.0.0.1:8080"
	if len(os.Args) > 1 {
		baseURL = os.Args[1]
	}
	client, err := api.NewClientWithResponses(baseURL)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	stats, err := client.StatsWithResponse(ctx)
	if err != nil {
		log.Fatal(err)
	}
	// Unix seconds with decimals.
	fmt.Printf("%d aircraft at %.1f\n", stats.JSON200.AircraftCount, stats.JSON200.Now)

	lowest, most := float64(20000), 3
	all, err := client.AllWithResponse(ctx, &api.AllParams{MinAltitude: &lowest, Limit: &most})
	if err != nil {
		log.Fatal(err)
	}
	for _, aircraft := range all.JSON200.Ac {
		fmt.Printf("%s at %d ft\n", aircraft.Hex, altitudeFt(aircraft))
	}

	wrong, err := client.HexWithResponse(ctx, "nonsense", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", wrong.ApplicationproblemJSON400.Code, wrong.ApplicationproblemJSON400.Detail)
}

// On the ground alt_baro is a string.
func altitudeFt(aircraft api.Aircraft) int {
	if aircraft.AltBaro == nil {
		return 0
	}
	feet, err := aircraft.AltBaro.AsAircraftAltBaro0()
	if err != nil {
		return 0
	}
	return int(feet)
}
