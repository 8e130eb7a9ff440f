// Live aircraft over Connect in Go, as JSON with the standard library alone. From this folder:
//
//	go run . http://127.0.0.1:8080 52.31 4.76
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
)

// A number without a value is absent: nil here. An aircraft on the ground has no altitude.
type aircraft struct {
	Hex        string   `json:"hex"`
	AltBaro    *int     `json:"altBaro"`
	DistanceNm *float64 `json:"distanceNm"`
}

type nearbyRequest struct {
	Lat   float64 `json:"lat"`
	Lon   float64 `json:"lon"`
	Limit int     `json:"limit"`
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Code + ": " + f.Message }

// Calls a method of the service.
func call(baseURL, method string, request, response any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	got, err := http.Post(baseURL+"/v1.AircraftService/"+method, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode == http.StatusOK {
		return json.NewDecoder(got.Body).Decode(response)
	}
	failed := &failure{Code: got.Status}
	if err := json.NewDecoder(got.Body).Decode(failed); err != nil {
		return err
	}
	return failed
}

func main() {
	baseURL, lat, lon := "http://127.0.0.1:8080", 52.31, 4.76
	if len(os.Args) > 1 {
		baseURL = os.Args[1]
	}
	if len(os.Args) > 3 {
		lat, _ = strconv.ParseFloat(os.Args[2], 64)
		lon, _ = strconv.ParseFloat(os.Args[3], 64)
	}

	var stats struct {
		AircraftTotal int `json:"aircraftTotal"`
	}
	if err := call(baseURL, "NetworkStats", struct{}{}, &stats); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d aircraft\n", stats.AircraftTotal)

	var nearby struct {
		Aircraft []aircraft `json:"aircraft"`
	}
	if err := call(baseURL, "NearbyAircraft", nearbyRequest{lat, lon, 3}, &nearby); err != nil {
		log.Fatal(err)
	}
	for _, one := range nearby.Aircraft {
		fmt.Printf("%s is %.1f nm away\n", one.Hex, *one.DistanceNm)
	}

	if len(nearby.Aircraft) > 0 {
		var found aircraft
		if err := call(baseURL, "GetAircraft", map[string]string{"hex": nearby.Aircraft[0].Hex}, &found); err != nil {
			log.Fatal(err)
		}
		altitude := "unknown"
		if found.AltBaro != nil {
			altitude = strconv.Itoa(*found.AltBaro)
		}
		fmt.Printf("%s at %s ft\n", found.Hex, altitude)
	}

	fmt.Println(call(baseURL, "GetAircraft", map[string]string{"hex": "nonsense"}, &aircraft{}))
}
