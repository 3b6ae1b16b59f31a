import { useState } from "react";
import { call, invalidate, type Schemas } from "../data/api.ts";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { EnvironmentChoice } from "./environment-choice.tsx";
import type { OtherEnvironment } from "./environment-values.tsx";
import { isName, NameField, PurposeField } from "./named-value-fields.tsx";
import { parseText, toText } from "./variable-value.ts";

type Variable = Schemas["ListedVariable"];

interface VariableDialogProps {
  /** A variable that gets a new value; none makes a new one. */
  readonly variable?: Variable;
  /** The environment whose own value it becomes; none for that of production. */
  readonly environment?: OtherEnvironment | undefined;
  readonly onClose: () => void;
}

/** Sets a value, which everybody sees who may read variables. */
export function VariableDialog({ variable, environment, onClose }: VariableDialogProps) {
  const [name, setName] = useState(variable?.name ?? "");
  const [text, setText] = useState(() => firstText(variable, environment));
  const [description, setDescription] = useState(variable?.description ?? "");
  const [error, setError] = useState<string>();
  const [ownValuesOnly, setOwnValuesOnly] = useState<boolean>();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    const value = parseText(text);
    try {
      if (!variable)
        await call("variables.create", {
          body: { name, value, description, ...(ownValuesOnly !== undefined && { ownValuesOnly }) },
        });
      else if (environment)
        await call("variables.set_environment", {
          params: { id: variable.id, environment },
          body: { value },
        });
      else
        await call("variables.update", {
          params: { id: variable.id },
          body: { value, description },
        });
      invalidate(["variables."]);
      notify(variable ? `${name} has its new value.` : `${name} is set.`);
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : "It could not be saved.");
      setBusy(false);
    }
  };
  const isNamed = isName(name);
  const isReady = isNamed && text !== "" && !isBusy;
  return (
    <Dialog
      title={titleOf(variable, environment)}
      onClose={onClose}
      onSubmit={() => isReady && void save()}
      footer={
        <button className="btn main" disabled={!isReady}>
          Save it
        </button>
      }
    >
      {!variable && <NameField value={name} onChange={setName} example="SHOP_URL" />}
      <Field label="Value" help="A text, or any JSON: 42, true, [1, 2]." error={error}>
        {(bound) => (
          <textarea
            {...bound}
            className="field mono variable-value"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {!environment && <PurposeField value={description} onChange={setDescription} />}
      {!variable && <EnvironmentChoice ownValuesOnly={ownValuesOnly} onChange={setOwnValuesOnly} />}
    </Dialog>
  );
}

/** One's own value is there to be changed; a first one of an environment begins with that of production. */
function firstText(
  variable: Variable | undefined,
  environment: OtherEnvironment | undefined,
): string {
  if (!variable) return "";
  const own = environment && variable.environments[environment];
  return toText(own === undefined ? variable.value : own);
}

function titleOf(
  variable: Variable | undefined,
  environment: OtherEnvironment | undefined,
): string {
  if (!variable) return "New variable";
  return environment ? `${variable.name} in ${environment}` : `New value for ${variable.name}`;
}
