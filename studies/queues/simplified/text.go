package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
)

// serveText answers PUSH MESSAGE with OK, and PULL with MSG MESSAGE or EMPTY, a line each. The store is locked only
// within a command, and each answer is a write of its own, as the paper describes it. DEPTH is ours.
func (s *server) serveText(conn net.Conn) {
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		if _, err := conn.Write([]byte(s.answer(strings.TrimSpace(line)))); err != nil {
			return
		}
	}
}

func (s *server) answer(line string) string {
	if message, found := cutPrefix(line, "PUSH "); found {
		s.store.push(message)
		return "OK\n"
	}
	switch line {
	case "PULL":
		if message, found := s.store.pull(); found {
			return "MSG " + message + "\n"
		}
		return "EMPTY\n"
	case "DEPTH":
		return fmt.Sprintf("DEPTH %d\n", s.store.depth())
	}
	return "ERR unknown command\n"
}

// cutPrefix is strings.CutPrefix, which Go 1.19 has not.
func cutPrefix(text, prefix string) (string, bool) {
	return strings.TrimPrefix(text, prefix), strings.HasPrefix(text, prefix)
}
