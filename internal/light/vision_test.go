package light

import "math"

// rgb is light from 0 to 1, relative to the strongest light in the picture.
type rgb [3]float64

// vision is a kind of colour vision.
type vision struct {
	name   string
	matrix [3][3]float64
}

// visions are normal colour vision and the three kinds that lack one kind of cone. The matrices are
// those for severity 1.0 of Machado, Oliveira and Fernandes, A Physiologically-based Model for
// Simulation of Color Vision Deficiency, IEEE Transactions on Visualization and Computer Graphics
// 15 (2009), for linear light.
var visions = [4]vision{
	{"usual", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protan", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
	{"deutan", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
	{"tritan", [3][3]float64{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}

func (c rgb) seenBy(v vision) (seen rgb) {
	for i, row := range v.matrix {
		for j, v := range row {
			seen[i] += v * c[j]
		}
		seen[i] = max(0, seen[i])
	}
	return seen
}

// luminance returns the Y of CIE 1931 for the primaries of sRGB (IEC 61966-2-1), which stand
// in for those of the LEDs.
func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// difference returns ΔE of CIE 1976: about 2 is just visible side by side.
func difference(a, b rgb) float64 {
	p, q := a.lab(), b.lab()
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

func (c rgb) lab() [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
