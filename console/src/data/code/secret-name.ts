/** The host and path of a request. */
export interface RequestPlace {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly environment: string;
}

const SECRET_NAME =
  /password|passphrase|secret|token|credential|(api|access|private|signing|shared)[-_]?key|^x-.*key|^(x-)?auth$|authorization|cookie|session|^code$|^value$/i;

/** Returns whether a field of this name may contain a secret. It prefers false positives. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

export interface RequestInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Replaces the values of fields that may contain secrets with placeholders. */
export function hideSecrets(input: unknown): RequestInput {
  return (hide(input ?? {}, "") ?? {}) as RequestInput;
}

function hide(value: unknown, name: string): unknown {
  if (typeof value === "string" && isSecretName(name) && !value.includes("{{secrets.")) {
    return `<${name}>`;
  }
  if (Array.isArray(value)) return value.map((one: unknown) => hide(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, hide(own, key)]));
}
