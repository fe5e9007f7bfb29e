// Animated GIF from canvases: a palette of the 255 most frequent colors of all pictures, and LZW.
(function (home) {
  "use strict";
  function palette(pictures) {  // colors of 5 bits per channel, the most frequent ones first
    const counts = new Uint32Array(32768);
    for (const data of pictures) for (let k = 0; k < data.length; k += 4) counts[(data[k] >> 3) << 10 | (data[k + 1] >> 3) << 5 | data[k + 2] >> 3] += 1;
    const used = [...counts.keys()].filter((c) => counts[c]).sort((a, b) => counts[b] - counts[a]).slice(0, 255);
    const colors = used.map((c) => [(c >> 10) << 3 | 4, (c >> 5 & 31) << 3 | 4, (c & 31) << 3 | 4]);
    const nearest = new Int16Array(32768).fill(-1);
    return {
      colors,
      index(r, g, b) {
        const key = (r >> 3) << 10 | (g >> 3) << 5 | b >> 3;
        if (nearest[key] < 0) {
          let best = 0, least = Infinity;
          colors.forEach((c, k) => { const d = (c[0] - r) ** 2 + (c[1] - g) ** 2 + (c[2] - b) ** 2; if (d < least) { least = d; best = k; } });
          nearest[key] = best;
        }
        return nearest[key];
      },
    };
  }
  function compressed(pixels, out) {  // LZW with 8 bits per pixel, in blocks of at most 255 bytes
    const bytes = [], clear = 256, end = 257;
    let codes = new Map(), next = 258, size = 9, bits = 0, held = 0;
    const put = (code) => {
      bits |= code << held;
      held += size;
      while (held >= 8) { bytes.push(bits & 255); bits >>>= 8; held -= 8; }
    };
    put(clear);
    let here = pixels[0];
    for (let k = 1; k < pixels.length; k++) {
      const key = here * 256 + pixels[k], known = codes.get(key);
      if (known !== undefined) { here = known; continue; }
      put(here);
      if (next === 4096) { put(clear); codes = new Map(); next = 258; size = 9; }
      else { codes.set(key, next); if (next === 1 << size) size += 1; next += 1; }
      here = pixels[k];
    }
    put(here);
    put(end);
    if (held) bytes.push(bits & 255);
    out.push(8);
    for (let k = 0; k < bytes.length; k += 255) {
      const block = bytes.slice(k, k + 255);
      out.push(block.length);
      for (const byte of block) out.push(byte);
    }
    out.push(0);
  }
  home.robosymGif = function (canvases, seconds) {  // seconds per picture
    const { width, height } = canvases[0], short = (n) => [n & 255, n >> 8];
    const pictures = canvases.map((c) => c.getContext("2d").getImageData(0, 0, width, height).data), { colors, index } = palette(pictures);
    const out = [...new TextEncoder().encode("GIF89a"), ...short(width), ...short(height), 0xf7, 0, 0];
    for (let k = 0; k < 256; k++) out.push(...(colors[k] || [0, 0, 0]));
    out.push(0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0);
    pictures.forEach((data) => {
      out.push(0x21, 0xf9, 4, 0, ...short(Math.max(2, Math.round(100 * seconds))), 0, 0, 0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0);
      const pixels = new Uint8Array(width * height);
      for (let k = 0; k < pixels.length; k++) pixels[k] = index(data[4 * k], data[4 * k + 1], data[4 * k + 2]);
      compressed(pixels, out);
    });
    out.push(0x3b);
    return new Blob([new Uint8Array(out)], { type: "image/gif" });
  };
})(globalThis);
