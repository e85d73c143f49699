// Records the rows that it reads on standard input (CSV, a header first); with `endless`, numbers until it is killed.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"

	"uploadlab/recorder"
)

func recordRows(rows *recorder.Recorder) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	for lines.Scan() {
		var timeNs int64
		var seen recorder.Seen
		_, err := fmt.Sscanf(lines.Text(), "%d,%d,%d,%d,%d,%d,%d", &timeNs, &seen.Seq, &seen.Bytes, &seen.Stream, &seen.Op,
			&seen.Kind, &seen.Status)
		if err != nil {
			recorder.EndWith("%v", err)
		}
		rows.At(timeNs, seen)
	}
}

func recordEndlessly(rows *recorder.Recorder) {
	for seq := uint32(0); ; seq++ {
		rows.Now(recorder.Seen{Kind: recorder.Sent, Seq: seq, Bytes: ^seq})
		if seq == 1000 {
			recorder.Say("recording")
		}
	}
}

func main() {
	capacity, err := strconv.Atoi(os.Args[2])
	if err != nil {
		recorder.EndWith("%v", err)
	}
	rows, err := recorder.Open(os.Args[1], capacity)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) > 3 {
		recordEndlessly(rows)
	}
	recordRows(rows)
	recorder.Say("%d", rows.Lost())
	if err := rows.Close(); err != nil {
		recorder.EndWith("%v", err)
	}
}
