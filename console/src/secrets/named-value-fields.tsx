/** The fields that secrets and variables have in common. */
import type { FieldProps } from "../ui/form/binding.ts";
import { TextField } from "../ui/form/text-field.tsx";

/** The name by which expressions refer to it. */
export function NameField({
  example,
  ...field
}: FieldProps<string> & { readonly example: string }) {
  return (
    <TextField {...field} isMono help={`Letters, digits and underscores, such as ${example}.`} />
  );
}

/** The title of the dialog that sets a value. */
export function titleOf(one: string, name: string | undefined, environment: string | undefined) {
  if (name === undefined) return `New ${one}`;
  return environment === undefined ? `New value for ${name}` : `${name} in ${environment}`;
}

/** The environments that have values of their own; of a value that stays in production, that it does. */
export function OwnValues(props: {
  readonly environments: readonly string[];
  readonly ownValuesOnly: boolean;
}) {
  const { environments, ownValuesOnly } = props;
  return (
    <span className="cut">
      {environments.join(", ")}
      {environments.length === 0 && ownValuesOnly && (
        <span className="muted">production alone</span>
      )}
    </span>
  );
}
