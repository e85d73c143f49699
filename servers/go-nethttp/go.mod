module uploadlab/go-nethttp

go 1.26.8
