/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** `Buffer`, `TextEncoder` and `TextDecoder` for scripts: bytes and their spellings, UTF-8 alone. */
export function createBuffer() {
  const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function encodeUtf8(text) {
    const bytes = [];
    for (const char of text) {
      const code = char.codePointAt(0) ?? 0;
      const point = code >= 0xd8_00 && code <= 0xdf_ff ? 0xff_fd : code;
      if (point < 0x80) bytes.push(point);
      else if (point < 0x8_00) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
      else if (point < 0x1_00_00) {
        bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      } else {
        const high = [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63)];
        bytes.push(...high, 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      }
    }
    return bytes;
  }
  function decodeUtf8(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length;) {
      const first = bytes[at] ?? 0;
      const length =
        first < 0x80 ? 1 : first >> 5 === 6 ? 2 : first >> 4 === 14 ? 3 : first >> 3 === 30 ? 4 : 0;
      let point = length === 1 ? first : first & (0xff >> (length + 1));
      let valid = length > 0 && at + length <= bytes.length;
      for (let next = 1; valid && next < length; next += 1) {
        const byte = bytes[at + next] ?? 0;
        valid = byte >> 6 === 2;
        point = (point << 6) | (byte & 63);
      }
      valid &&= point >= [0, 0, 0x80, 0x8_00, 0x1_00_00][length] && point <= 0x10_ff_ff;
      text += valid ? String.fromCodePoint(point) : "\uFFFD";
      at += valid ? length : 1;
    }
    return text;
  }
  function decodeBase64(text) {
    const clean = text
      .replaceAll("-", "+")
      .replaceAll("_", "/")
      .replaceAll(/[^A-Za-z0-9+/]/g, "");
    const bytes = [];
    let [bits, count] = [0, 0];
    for (const char of clean) {
      bits = ((bits << 6) | BASE64.indexOf(char)) & 0xff_ff;
      count += 6;
      if (count < 8) continue;
      count -= 8;
      bytes.push((bits >> count) & 0xff);
    }
    return bytes;
  }
  function encodeBase64(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += 3) {
      const [a = 0, b = 0, c = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
      const left = bytes.length - at;
      text += BASE64.charAt(a >> 2) + BASE64.charAt(((a & 3) << 4) | (b >> 4));
      text += left > 1 ? BASE64.charAt(((b & 15) << 2) | (c >> 6)) : "=";
      text += left > 2 ? BASE64.charAt(c & 63) : "=";
    }
    return text;
  }
  class Buffer extends Uint8Array {
    static from(value, encoding = "utf8") {
      if (typeof value !== "string") return Buffer.of(...Array.from(value));
      switch (String(encoding).toLowerCase()) {
        case "base64":
        case "base64url":
          return new Buffer(decodeBase64(value));
        case "hex":
          return new Buffer(
            (value.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16)),
          );
        case "latin1":
        case "binary":
        case "ascii":
          return new Buffer(Array.from(value, (char) => char.charCodeAt(0) & 0xff));
        default:
          return new Buffer(encodeUtf8(value));
      }
    }
    static of(...bytes) {
      return new Buffer(bytes);
    }
    static alloc(size) {
      return new Buffer(size);
    }
    static concat(parts) {
      return new Buffer(parts.flatMap((part) => [...part]));
    }
    static byteLength(value) {
      return typeof value === "string" ? encodeUtf8(value).length : value.length;
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    toString(encoding = "utf8") {
      switch (encoding.toLowerCase()) {
        case "base64":
          return encodeBase64(this);
        case "base64url":
          return encodeBase64(this).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        case "hex":
          return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
        case "latin1":
        case "binary":
        case "ascii":
          return Array.from(this, (byte) => String.fromCharCode(byte)).join("");
        default:
          return decodeUtf8(this);
      }
    }
    equals(other) {
      return this.length === other.length && this.every((byte, index) => byte === other[index]);
    }
    toJSON() {
      return {
        type: "Buffer",
        data: [...this],
      };
    }
  }
  class TextEncoder {
    encode(text = "") {
      return new Uint8Array(encodeUtf8(String(text)));
    }
  }
  class TextDecoder {
    decode(bytes = new Uint8Array()) {
      return decodeUtf8(new Uint8Array(bytes));
    }
  }
  return {
    Buffer,
    TextEncoder,
    TextDecoder,
  };
}
