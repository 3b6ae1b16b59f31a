/** Where a request goes. */
export interface RequestPlace {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly environment: string;
}

const SECRET_NAME =
  /password|passphrase|secret|token|credential|(api|access|private|signing|shared)[-_]?key|^x-.*key|^(x-)?auth$|authorization|cookie|session|^code$|^value$/i;

/** Says whether a field of this name may hold a secret. Too many rather than one too few. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);
