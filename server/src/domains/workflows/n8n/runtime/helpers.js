/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Host functions for n8n code: files, requests, modules. Also a calculator for agents. */
export function addHelpers(n8n) {
  const { DateTime, jmespath } = globalThis;
  const isFile = (value) => typeof value?.$file === "string";
  // Reads the bytes of files before the code runs, because n8n items contain them.
  n8n.helpers = async (context, items) => {
    for (const item of items) {
      for (const file of Object.values(item.binary ?? {})) {
        if (!isFile(file) || file.data !== undefined) continue;
        const bytes = await context.files.read({ $file: file.$file });
        Object.defineProperty(file, "data", {
          value: Buffer.from(bytes).toString("base64"),
          writable: true,
          enumerable: false,
        });
      }
    }
    const request = async (asked) => {
      const {
        url,
        uri,
        method = "GET",
        headers,
        body,
        qs,
        returnFullResponse,
        json,
      } = typeof asked === "string" ? { url: asked } : asked;
      const query = qs === undefined ? "" : `?${new URLSearchParams(qs)}`;
      const response = await context.http.request({
        url: `${url ?? uri}${query}`,
        method,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
      });
      if (response.status >= 400)
        throw new Error(`Request failed with status code ${response.status}`);
      return returnFullResponse
        ? { statusCode: response.status, headers: response.headers, body: response.body }
        : response.body;
    };
    return {
      getBinaryDataBuffer: async (index, name) =>
        Buffer.from(items[index]?.binary?.[name]?.data ?? "", "base64"),
      prepareBinaryData: async (bytes, fileName = "file", mimeType) => ({
        data: Buffer.from(bytes).toString("base64"),
        fileName,
        ...(mimeType && { mimeType }),
      }),
      httpRequest: request,
      request,
      returnJsonArray: (value) =>
        (Array.isArray(value) ? value : [value]).map((json) => ({ json })),
    };
  };
  // A request with its query in the URL.
  n8n.withQuery = ({ url, query = {}, body, ...rest }) => {
    const pairs = Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    const text = new URLSearchParams(
      pairs.map(([name, value]) => [name, n8n.text(value)]),
    ).toString();
    const mark = String(url).includes("?") ? "&" : "?";
    return {
      ...rest,
      url: text === "" ? String(url) : `${url}${mark}${text}`,
      ...(body !== undefined && { body }),
    };
  };
  // Random texts in the format of the n8n node.
  n8n.randomText = (encoding, length) => {
    let hex = "";
    // The version digits of a UUID are not random.
    while (hex.length < length * 2)
      hex += crypto
        .randomUUID()
        .replaceAll("-", "")
        .replace(/^(.{12}).(.{3})./, "$1$2");
    if (encoding === "hex") return hex.slice(0, length);
    const bytes = Buffer.from(hex.slice(0, hex.length - (hex.length % 2)), "hex");
    return encoding === "base64"
      ? bytes.toString("base64").replaceAll(/\W/g, "").slice(0, length)
      : [...bytes]
          .map(
            (one) => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"[one % 64],
          )
          .join("")
          .slice(0, length);
  };
  n8n.unreadable = (code) => {
    throw new SyntaxError(`The expression can't be read: ${code}`);
  };
  // Variables by name. A missing variable has no value in n8n.
  n8n.variables = async (context, names) => {
    const found = {};
    for (const name of names) {
      try {
        found[name] = await context.variables.get(name);
      } catch (error) {
        if (error.code !== "unknown_variable") throw error;
      }
    }
    return found;
  };
  // Stores files created from bytes as files of the run.
  n8n.keepFiles = async (context, list) => {
    const kept = [];
    for (const item of list) {
      const files = {};
      for (const [name, file] of Object.entries(item?.$binary ?? {})) {
        if (isFile(file)) {
          const { data, ...handle } = file;
          files[name] = handle;
        } else if (typeof file?.data === "string") {
          const bytes = Buffer.from(file.data, "base64");
          files[name] = await context.files.write(file.fileName ?? "file", bytes);
        }
      }
      kept.push(item?.$binary === undefined ? item : { ...item, $binary: files });
    }
    return kept;
  };
  n8n.require = (name) => {
    switch (String(name).replace(/^node:/, "")) {
      case "crypto":
        return {
          ...crypto,
          randomUUID: () => crypto.randomUUID(),
          createHash: (algorithm) =>
            chain((parts, encoding) => crypto.hash(algorithm, parts, encoding)),
          createHmac: (algorithm, key) =>
            chain((parts, encoding) => crypto.hmac(algorithm, key, parts, encoding)),
        };
      case "buffer":
        return { Buffer };
      case "url":
        return { URL, URLSearchParams };
      case "querystring":
        return {
          stringify: (value) => new URLSearchParams(value).toString(),
          parse: (text) => Object.fromEntries(new URLSearchParams(text)),
        };
      case "luxon":
        return { DateTime, Duration: globalThis.Duration, Interval: globalThis.Interval };
      case "jmespath":
        return { search: jmespath };
      default:
        throw new Error(`There is no module ${name}.`);
    }
  };
  function chain(finish) {
    let text = "";
    const made = {
      update: (part) => {
        text += String(part);
        return made;
      },
      digest: (encoding = "hex") => finish(text, encoding),
    };
    return made;
  }
  // A calculator for agents: numbers, operators, parentheses and some functions.
  n8n.calculate = (expression) => {
    const tokens =
      String(expression).match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z]+|\*\*|[-+*/%^(),]|\S/g) ?? [];
    let at = 0;
    const next = () => tokens[at++];
    const sum = () => {
      let value = product();
      while (tokens[at] === "+" || tokens[at] === "-")
        value = next() === "+" ? value + product() : value - product();
      return value;
    };
    const product = () => {
      let value = power();
      while (["*", "/", "%"].includes(tokens[at])) {
        const sign = next();
        const other = power();
        value = sign === "*" ? value * other : sign === "/" ? value / other : value % other;
      }
      return value;
    };
    const power = () => {
      const value = unary();
      if (tokens[at] !== "^" && tokens[at] !== "**") return value;
      next();
      return value ** power();
    };
    const unary = () => {
      if (tokens[at] === "-" || tokens[at] === "+") return next() === "-" ? -unary() : unary();
      return atom();
    };
    const atom = () => {
      const token = next();
      if (token === "(") {
        const value = sum();
        if (next() !== ")") throw new Error("A parenthesis is not closed.");
        return value;
      }
      if (/^\d/.test(token ?? "")) return Number(token);
      const known = { pi: Math.PI, e: Math.E }[String(token).toLowerCase()];
      if (known !== undefined) return known;
      const work = [
        "sqrt",
        "abs",
        "round",
        "floor",
        "ceil",
        "min",
        "max",
        "pow",
        "log",
        "log10",
        "exp",
        "sin",
        "cos",
        "tan",
      ].includes(token)
        ? Math[token]
        : undefined;
      if (!work || next() !== "(") throw new Error(`It can't compute ${token}.`);
      const values = [sum()];
      while (tokens[at] === ",") {
        next();
        values.push(sum());
      }
      if (next() !== ")") throw new Error("A parenthesis is not closed.");
      return work(...values);
    };
    const value = sum();
    if (at < tokens.length) throw new Error(`It can't compute ${tokens[at]}.`);
    return value;
  };
}
