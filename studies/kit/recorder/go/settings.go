package recorder

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// Text is an environment variable; the process ends with a sentence where it is missing.
func Text(name string) string {
	value := os.Getenv(name)
	if value == "" {
		EndWith("The environment variable %s is missing.", name)
	}
	return value
}

// TextOr is an environment variable, or otherwise where it is missing or empty.
func TextOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// OneOf is an environment variable that must be one of some words; the first is taken where it is missing.
func OneOf(name string, words ...string) string {
	value := TextOr(name, words[0])
	for _, word := range words {
		if value == word {
			return value
		}
	}
	EndWith("%s=%s: expected %s.", name, value, strings.Join(words, ", "))
	return ""
}

// Whole is an environment variable that must be a whole number in a range.
func Whole(name string, otherwise string, least, most uint64) uint64 {
	value := TextOr(name, otherwise)
	if value == "" {
		EndWith("The environment variable %s is missing.", name)
	}
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil || number < least || number > most {
		EndWith("%s=%s: expected a whole number from %d to %d.", name, value, least, most)
	}
	return number
}

// Number is an environment variable that must be a number of at least 0.
func Number(name string, otherwise string) float64 {
	value := TextOr(name, otherwise)
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || number < 0 || math.IsInf(number, 0) || math.IsNaN(number) {
		EndWith("%s=%s: expected a number of at least 0.", name, value)
	}
	return number
}
