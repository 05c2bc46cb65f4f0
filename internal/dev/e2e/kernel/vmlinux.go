//go:build linux

package kernel

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// vmlinux extracts the kernel from a bzImage. QEMU boots it directly, which saves about
// ten seconds of emulated decompression.
func vmlinux(ctx context.Context, image []byte) ([]byte, error) {
	packed, err := payload(image)
	if err != nil {
		return nil, err
	}
	tool, ok := unpacker(packed)
	if !ok {
		return nil, fmt.Errorf("kernel: unknown compression (first bytes % x)", packed[:6])
	}
	if tool == "" {
		return gunzip(packed)
	}
	// The kernel's build appends the unpacked size to the stream, four bytes, except with gzip,
	// whose format already contains it.
	stream, tail := packed[:len(packed)-4], packed[len(packed)-4:]
	elf, err := pipe(ctx, stream, tool)
	if err != nil {
		return nil, err
	}
	if want := binary.LittleEndian.Uint32(tail); uint32(len(elf)) != want {
		return nil, fmt.Errorf("kernel: unpacked to %d bytes, the image says %d", len(elf), want)
	}
	return elf, nil
}

// unpackImage installs the program that vmlinux needs, and then calls vmlinux.
func unpackImage(ctx context.Context, here *apt, image []byte) ([]byte, error) {
	if packed, err := payload(image); err == nil {
		if tool, _ := unpacker(packed); tool != "" {
			if err := here.need(ctx, tool, map[string]string{"xz": "xz-utils", "zstd": "zstd"}[tool]); err != nil {
				return nil, err
			}
		}
	}
	return vmlinux(ctx, image)
}

// payload returns the compressed kernel in a bzImage. The offsets are from the setup
// header, Documentation/arch/x86/boot.rst in the kernel's source.
func payload(image []byte) ([]byte, error) {
	const (
		setupSects    = 0x1f1
		magic         = 0x202
		version       = 0x206
		payloadOffset = 0x248
		payloadLength = 0x24c
	)
	if len(image) < payloadLength+4 || string(image[magic:magic+4]) != "HdrS" {
		return nil, errors.New("kernel: not a bzImage")
	}
	if v := binary.LittleEndian.Uint16(image[version:]); v < 0x208 {
		return nil, fmt.Errorf("kernel: boot protocol %#x is too old: use 0x208", v)
	}
	sects := uint64(image[setupSects])
	if sects == 0 {
		sects = 4
	}
	// Both values count from the start of the protected-mode code, after the boot sector and the
	// setup sectors.
	start := (sects+1)*512 + uint64(binary.LittleEndian.Uint32(image[payloadOffset:]))
	length := uint64(binary.LittleEndian.Uint32(image[payloadLength:]))
	if length < 8 || start+length > uint64(len(image)) {
		return nil, errors.New("kernel: the bzImage is truncated")
	}
	return image[start : start+length], nil
}

// unpacker returns the program that decompresses a stream; "" means package gzip.
func unpacker(packed []byte) (tool string, ok bool) {
	for _, format := range []struct{ magic, tool string }{
		{"\xfd7zXZ\x00", "xz"},
		{"\x28\xb5\x2f\xfd", "zstd"},
		{"\x1f\x8b", ""},
	} {
		if bytes.HasPrefix(packed, []byte(format.magic)) {
			return format.tool, true
		}
	}
	return "", false
}

func gunzip(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	r.Multistream(false)
	return io.ReadAll(r)
}

// pipe decompresses a stream with "xz" or "zstd".
func pipe(ctx context.Context, stream []byte, tool string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, tool, "-dc")
	cmd.Stdin = bytes.NewReader(stream)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("kernel: unpack with %s: %w %s", tool, err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.Bytes(), nil
}
