import Type from "typebox";

/** The host of a server that has no URL: a name or an address, and never a path to a socket. */
export function hostName(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: "^[A-Za-z0-9_:]([A-Za-z0-9_.:-]*[A-Za-z0-9_:])?$",
    description,
  });
}
