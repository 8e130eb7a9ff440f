module squitter-records

go 1.24
