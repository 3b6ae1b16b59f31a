/**
 * Where one domain lets others take part without knowing them: it declares a point, they contribute
 * to it in their own declaration, and it asks for all contributions when it needs them.
 */
export interface ExtensionPoint<T> {
  readonly name: string;
  /** Never set: it keeps points of different types apart. */
  readonly contributes?: T;
}

export interface Contribution {
  readonly to: ExtensionPoint<unknown>;
  readonly what: readonly unknown[];
}

/** Declares a point. */
export function extensionPoint<T>(name: string): ExtensionPoint<T> {
  return { name };
}

/** Contributes to a point; belongs into a domain's `contributions`. */
export function contribute<T>(to: ExtensionPoint<T>, ...what: readonly T[]): Contribution {
  return { to, what };
}

/** Everything that was contributed to a point, in the order of the domains. */
export function contributionsTo<T>(
  point: ExtensionPoint<T>,
  all: readonly Contribution[],
): readonly T[] {
  // `contribute` has checked each of them against the point's type.
  return all.filter(({ to }) => to === point).flatMap(({ what }) => what) as T[];
}
