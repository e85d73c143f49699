package recorder

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// PrintVersions prints one JSON object: Go's version, those of the modules in the program, and further ones.
func PrintVersions(further map[string]string) {
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
	for name, version := range further {
		versions[name] = version
	}
	text, err := json.Marshal(versions)
	if err != nil {
		EndWith("%v.", err)
	}
	fmt.Println(string(text))
}
