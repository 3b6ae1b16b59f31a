import type { Schemas } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { EnvironmentChoice } from "./environment-choice.tsx";
import type { OtherEnvironment } from "./environment-values.tsx";
import { NameField, titleOf } from "./named-value-fields.tsx";

interface SecretDialogProps {
  /** The secret that gets a new value; without it, a new secret is created. */
  readonly secret?: Schemas["ListedSecret"];
  /** The environment that gets its own value; without it, the production value is set. */
  readonly environment?: OtherEnvironment | undefined;
  readonly onClose: () => void;
}

/** Stores a secret value, which is never displayed again. */
export function SecretDialog({ secret, environment, onClose }: SecretDialogProps) {
  const operation = environment
    ? "secrets.set_environment"
    : secret
      ? "secrets.rotate"
      : "secrets.create";
  const where = environment === undefined ? "everywhere" : `in ${environment}`;
  const form = useForm(operation, {
    params: { name: secret?.name ?? "", environment: environment ?? "staging" },
    initial: { description: secret?.description },
    said: ({ data: { name } }) => (secret ? `${name} updated ${where}.` : `${name} created.`),
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={titleOf("secret", secret?.name, environment)}
      act={secret && !environment ? "Replace value" : "Create secret"}
      onClose={onClose}
    >
      {!secret && <NameField {...form.field("name")} example="BILLING_API_KEY" />}
      <TextField
        {...form.field("value")}
        type="password"
        autoComplete="new-password"
        isMono
        help={
          environment
            ? `Takes effect immediately in ${environment}. The value can't be shown again.`
            : secret
              ? "Takes effect immediately wherever the secret is used."
              : "You can't view the value after you save it."
        }
      />
      {!environment && <TextField {...form.field("description")} label="Description" />}
      {!secret && (
        <EnvironmentChoice
          ownValuesOnly={form.values.ownValuesOnly ?? undefined}
          onChange={(ownValuesOnly) => form.change({ ownValuesOnly })}
        />
      )}
    </FormDialog>
  );
}
