package recorder

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// AnswerVersions ends a program that was called with the one argument `versions`: it prints one JSON object, Go's version
// and those of the modules in the program.
func AnswerVersions() {
	if len(os.Args) != 2 || os.Args[1] != "versions" {
		return
	}
	versions := map[string]string{"go": runtime.Version()}
	if build, found := debug.ReadBuildInfo(); found {
		for _, module := range build.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			if module.Version != "" && module.Version != "(devel)" { // else it is this project's own
				versions[module.Path] = module.Version
			}
		}
	}
	text, err := json.Marshal(versions)
	if err != nil {
		EndWith("%v.", err)
	}
	fmt.Println(string(text))
	os.Exit(0)
}
