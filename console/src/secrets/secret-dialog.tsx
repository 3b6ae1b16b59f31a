import { useState } from "react";
import { call, invalidate, type Schemas } from "../data/api.ts";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { EnvironmentChoice } from "./environment-choice.tsx";
import type { OtherEnvironment } from "./environment-values.tsx";
import { isName, NameField, PurposeField } from "./named-value-fields.tsx";

interface SecretDialogProps {
  /** A secret that gets a new value; none makes a new one. */
  readonly secret?: Schemas["ListedSecret"];
  /** The environment whose own value it becomes; none for that of production. */
  readonly environment?: OtherEnvironment | undefined;
  readonly onClose: () => void;
}

/** Stores a value, which nobody sees again. */
export function SecretDialog({ secret, environment, onClose }: SecretDialogProps) {
  const [name, setName] = useState(secret?.name ?? "");
  const [value, setValue] = useState("");
  const [description, setDescription] = useState(secret?.description ?? "");
  const [error, setError] = useState<unknown>();
  const [ownValuesOnly, setOwnValuesOnly] = useState<boolean>();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      if (environment)
        await call("secrets.set_environment", { params: { name, environment }, body: { value } });
      else if (secret)
        await call("secrets.rotate", { params: { name }, body: { value, description } });
      else
        await call("secrets.create", {
          body: { name, value, description, ...(ownValuesOnly !== undefined && { ownValuesOnly }) },
        });
      invalidate(["secrets."]);
      const where = environment === undefined ? "everywhere" : `in ${environment}`;
      notify(secret ? `${name} has its new value, ${where} at once.` : `${name} is stored.`);
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const isNamed = isName(name);
  return (
    <Dialog
      title={secret ? titleOf(secret.name, environment) : "New secret"}
      onClose={onClose}
      onSubmit={() => isNamed && value !== "" && !isBusy && void save()}
      footer={
        <button className="btn main" disabled={!isNamed || value === "" || isBusy}>
          {secret && !environment ? "Replace it" : "Store it"}
        </button>
      }
    >
      {!secret && (
        <NameField
          value={name}
          onChange={setName}
          example="BILLING_API_KEY"
          error={error instanceof Error ? error.message : undefined}
        />
      )}
      <Field
        label="Value"
        help={
          environment
            ? `It counts at once for everything in ${environment}. Nobody sees it again.`
            : secret
              ? "It counts at once for everything that refers to the secret."
              : "It can’t be read again after you save it."
        }
        error={secret && error instanceof Error ? error.message : undefined}
      >
        {(bound) => (
          <input
            {...bound}
            className="field mono"
            type="password"
            autoComplete="new-password"
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
        )}
      </Field>
      {!environment && <PurposeField value={description} onChange={setDescription} />}
      {!secret && <EnvironmentChoice ownValuesOnly={ownValuesOnly} onChange={setOwnValuesOnly} />}
    </Dialog>
  );
}

function titleOf(name: string, environment: OtherEnvironment | undefined): string {
  return environment ? `${name} in ${environment}` : `New value for ${name}`;
}
