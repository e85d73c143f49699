package recorder

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Phases are what a part does when the conductor says so; an error ends the part.
type Phases interface {
	Verify() error
	WarmUp() error
	// Measure begins at a time of CLOCK_MONOTONIC.
	Measure(startNs int64) error
}

// EndWith ends the process with a sentence.
func EndWith(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(2)
}

// EndWithError ends the process with an error's sentence.
func EndWithError(err error) {
	text := err.Error()
	EndWith("%s%s.", strings.ToUpper(text[:1]), text[1:])
}

// Say tells the conductor a line.
func Say(format string, values ...any) {
	if _, err := fmt.Printf(format+"\n", values...); err != nil {
		EndWith("The conductor is gone.")
	}
}

// Obey does what the conductor says on standard input until it says stop, or is gone.
func Obey(phases Phases) error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "stop" {
			return nil
		}
		answer, err := obeyOne(phases, lines.Text())
		if err != nil {
			return err
		}
		Say(answer)
	}
	return lines.Err()
}

func obeyOne(phases Phases, line string) (string, error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "verify":
		return "verified", phases.Verify()
	case "warm_up":
		return "warmed_up", phases.WarmUp()
	case "measure":
		startNs, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return "", fmt.Errorf("'%s': expected the nanosecond at which to begin", line)
		}
		return "done", phases.Measure(startNs)
	}
	return "", fmt.Errorf("the conductor said '%s'; expected verify, warm_up, measure START_NS or stop", line)
}
