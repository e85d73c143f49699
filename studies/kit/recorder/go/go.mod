module uploadlab/recorder

go 1.19
