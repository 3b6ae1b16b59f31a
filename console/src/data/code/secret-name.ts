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
