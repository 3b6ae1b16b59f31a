/**
 * Lets other domains extend a domain without a dependency on them: one domain declares a point, others
 * contribute to it in their declaration, and the first reads all contributions on demand.
 */
export interface ExtensionPoint<T> {
  readonly name: string;
  /** Never set. It makes points of different types incompatible. */
  readonly contributes?: T;
}

export interface Contribution {
  readonly to: ExtensionPoint<unknown>;
  readonly items: readonly unknown[];
}

/** Declares a point. */
export function extensionPoint<T>(name: string): ExtensionPoint<T> {
  return { name };
}

/** Contributes to a point. Listed in a domain's `contributions`. */
export function contribute<T>(to: ExtensionPoint<T>, ...items: readonly T[]): Contribution {
  return { to, items };
}

/** Everything contributed to a point, in the order of the domains. */
export function contributionsTo<T>(
  point: ExtensionPoint<T>,
  all: readonly Contribution[],
): readonly T[] {
  // `contribute` has checked each of them against the point's type.
  return all.filter(({ to }) => to === point).flatMap(({ items }) => items) as T[];
}
