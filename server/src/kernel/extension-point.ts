/**
 * A place where one domain lets others take part without knowing them: it declares a point, they contribute
 * to it in their own declaration, and it reads all contributions when it needs them.
 */
export interface ExtensionPoint<T> {
  readonly name: string;
  /** Never set: it makes points of different types incompatible. */
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

/** Contributes to a point; belongs into a domain's `contributions`. */
export function contribute<T>(to: ExtensionPoint<T>, ...items: readonly T[]): Contribution {
  return { to, items };
}

/** Everything that was contributed to a point, in the order of the domains. */
export function contributionsTo<T>(
  point: ExtensionPoint<T>,
  all: readonly Contribution[],
): readonly T[] {
  // `contribute` has checked each of them against the point's type.
  return all.filter(({ to }) => to === point).flatMap(({ items }) => items) as T[];
}
