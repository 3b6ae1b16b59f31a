import type { Schemas } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { EnvironmentChoice } from "./environment-choice.tsx";
import type { OtherEnvironment } from "./environment-values.tsx";
import { NameField, titleOf } from "./named-value-fields.tsx";
import { parseText, toText } from "./variable-value.ts";

type Variable = Schemas["ListedVariable"];

interface VariableDialogProps {
  /** The variable that gets a new value; without it, a new variable is created. */
  readonly variable?: Variable;
  /** The environment that gets its own value; without it, the production value is set. */
  readonly environment?: OtherEnvironment | undefined;
  readonly onClose: () => void;
}

interface Draft {
  readonly name?: string;
  readonly value?: string;
  readonly description?: string;
  readonly ownValuesOnly?: boolean;
}

/** Sets a value, which is visible to everyone with permission to read variables. */
export function VariableDialog({ variable, environment, onClose }: VariableDialogProps) {
  const operation = !variable
    ? "variables.create"
    : environment
      ? "variables.set_environment"
      : "variables.update";
  const form = useForm(operation, {
    params: { id: variable?.id ?? "", environment: environment ?? "staging" },
    initial: {
      name: variable?.name ?? "",
      value: firstText(variable, environment),
      description: variable?.description ?? "",
    },
    toBody: ({ name = "", value = "", description = "", ownValuesOnly }: Draft) => ({
      ...(!variable && { name }),
      ...(!variable && ownValuesOnly !== undefined && { ownValuesOnly }),
      ...(!environment && { description }),
      value: parseText(value),
    }),
    check: ({ name, value }) => ({
      name: name ? undefined : "is required",
      value: value ? undefined : "is required",
    }),
    said: ({ data: { name } }) => (variable ? `${name} updated.` : `${name} created.`),
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={titleOf("variable", variable?.name, environment)}
      act="Save variable"
      onClose={onClose}
    >
      {!variable && <NameField {...form.field("name")} example="SHOP_URL" />}
      <TextAreaField
        {...form.field("value")}
        isMono
        help="Enter text or JSON. Examples: 42, true, [1, 2]"
      />
      {!environment && <TextField {...form.field("description")} label="Description" />}
      {!variable && (
        <EnvironmentChoice
          ownValuesOnly={form.values.ownValuesOnly}
          onChange={(ownValuesOnly) => form.change({ ownValuesOnly })}
        />
      )}
    </FormDialog>
  );
}

/** The initial text: the environment's own value, or that of production if it has none. */
function firstText(
  variable: Variable | undefined,
  environment: OtherEnvironment | undefined,
): string {
  if (!variable) return "";
  const own = environment && variable.environments[environment];
  return toText(own === undefined ? variable.value : own);
}
