/** The common fields of secrets and variables. */
import type { FieldProps } from "../ui/form/binding.ts";
import { TextField } from "../ui/form/text-field.tsx";

/** The name used in expressions. */
export function NameField({
  example,
  ...field
}: FieldProps<string> & { readonly example: string }) {
  return (
    <TextField {...field} isMono help={`Letters, digits and underscores. Example: ${example}`} />
  );
}

/** Returns the title of the dialog that sets a value. */
export function titleOf(one: string, name: string | undefined, environment: string | undefined) {
  if (name === undefined) return `New ${one}`;
  return environment === undefined ? `Set value of ${name}` : `${name} in ${environment}`;
}

/** Shows the environments with their own value, or that the value only applies to production. */
export function OwnValues(props: {
  readonly environments: readonly string[];
  readonly ownValuesOnly: boolean;
}) {
  const { environments, ownValuesOnly } = props;
  return (
    <span className="cut">
      {environments.join(", ")}
      {environments.length === 0 && ownValuesOnly && <span className="muted">production only</span>}
    </span>
  );
}
