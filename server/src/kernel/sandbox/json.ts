import secureJson from "secure-json-parse";

/** Parses a value from a script and drops its `__proto__` members. */
export function parseJson(text: string): unknown {
  return secureJson.parse(text, undefined, { protoAction: "remove", constructorAction: "ignore" });
}
