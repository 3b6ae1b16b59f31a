import type { Domain } from "./contract.ts";

/** Declares a domain. Its operations inherit `environmentScoped` unless they set it. */
export function domain(about: Domain): Domain {
  const { environmentScoped = true, operations, contributions = [] } = about;
  const passedOn = operations.flatMap((op) => op.contributions ?? []);
  return {
    ...about,
    operations: operations.map((op) => ({ environmentScoped, ...op })),
    contributions: [...contributions, ...passedOn],
  };
}
