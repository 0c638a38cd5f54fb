package dialog

import (
	"math"
	"testing"
)

// luminance is the relative luminance of a colour, its parts from 0 to 0xffff, as WCAG 2 defines it.
func luminance(colour [3]uint32) float64 {
	linear := func(part uint32) float64 {
		v := float64(part) / 0xffff
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(colour[0]) + 0.7152*linear(colour[1]) + 0.0722*linear(colour[2])
}

func contrast(a, b float64) float64 {
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// TestContrastIsThatOfWCAG compares with published ratios.
func TestContrastIsThatOfWCAG(t *testing.T) {
	white, black := [3]uint32{0xffff, 0xffff, 0xffff}, [3]uint32{}
	grey := [3]uint32{0x7676, 0x7676, 0x7676}
	for _, c := range []struct {
		a, b [3]uint32
		want float64
	}{{white, black, 21}, {white, grey, 4.54}, {grey, grey, 1}} {
		if got := contrast(luminance(c.a), luminance(c.b)); math.Abs(got-c.want) > 0.01 {
			t.Errorf("the contrast of %x and %x is %.2f; want %.2f", c.a, c.b, got, c.want)
		}
	}
}
