import Type, { type Static, type TSchema } from "typebox";

/** A query parameter with one name or several names separated by commas. */
export function listOf<Names extends TSchema>(names: Names) {
  const { enum: all } = names as unknown as { readonly enum: readonly string[] };
  const one = `(${all.join("|")})`;
  return {
    schema: Type.String({
      pattern: `^${one}(,${one}){0,9}$`,
      description: `One or several of ${all.map((name) => `\`${name}\``).join(", ")}, separated by commas`,
    }),
    /** The pattern accepts only these names. */
    parse: (text: string | undefined) => text?.split(",") as Static<Names>[] | undefined,
  };
}
