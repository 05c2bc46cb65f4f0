module github.com/c4hat/c4hat

go 1.25.0
