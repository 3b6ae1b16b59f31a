/** The fields that secrets and variables have in common. */
import { Field } from "../ui/field.tsx";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function isName(name: string): boolean {
  return NAME.test(name);
}

interface TextProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function NameField(
  props: TextProps & { readonly example: string; readonly error?: string | undefined },
) {
  const { value, onChange, example, error } = props;
  const isWrong = value !== "" && !isName(value);
  return (
    <Field
      label="Name"
      help={`Letters, digits and underscores, such as ${example}.`}
      error={error ?? (isWrong ? "A name has letters, digits and underscores alone." : undefined)}
    >
      {(bound) => (
        <input
          {...bound}
          className="field mono"
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export function PurposeField({ value, onChange }: TextProps) {
  return (
    <Field label="For what" isOptional>
      {(bound) => (
        <input
          {...bound}
          className="field"
          maxLength={2_000}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
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
