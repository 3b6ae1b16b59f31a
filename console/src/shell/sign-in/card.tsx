import type { FormEvent, ReactNode } from "react";
import { Unreachable } from "../../data/api.ts";
import { useRunner } from "../../ui/behaviour/runner.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

/** A step of the sign-in: fields, error and submit button. */
export function Card(props: {
  readonly title: string;
  readonly children: ReactNode;
  readonly submit?: string;
  readonly onSubmit?: () => Promise<void>;
  readonly onBack?: () => void;
  readonly back?: string;
}) {
  const { isBusy, error, run } = useRunner();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (props.onSubmit) void run(props.onSubmit);
  };
  return (
    <form className="sign-in-card" onSubmit={submit} aria-busy={isBusy}>
      <img src="mark.svg" width="32" height="32" alt="" />
      <h1>{props.title}</h1>
      {props.children}
      <Problem error={error} />
      {props.submit !== undefined && (
        <Button look="main" disabled={isBusy}>
          {props.submit}
        </Button>
      )}
      {props.onBack && (
        <Button look="bare" type="button" onClick={props.onBack}>
          {props.back ?? "Back"}
        </Button>
      )}
    </form>
  );
}

/** Shows an error from the server or the browser, such as a cancelled passkey. */
export function Problem({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <p className="sign-in-problem" role="alert">
      {describe(error)}
    </p>
  );
}

/** Without a session, an expired one is not the reason of a refusal (`describeRefusal`). */
function describe(error: unknown): string {
  if (error instanceof Unreachable) return "Can't reach the server. Try again.";
  return error instanceof Error ? error.message : String(error);
}

/** A labelled field. */
export function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "email" | "password";
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly focus?: boolean;
  readonly minLength?: number;
  readonly optional?: boolean;
}) {
  return (
    <label>
      {props.label}
      <TextInput
        {...controlOf(props.type)}
        autoComplete={props.autoComplete}
        placeholder={props.placeholder}
        autoFocus={props.focus}
        minLength={props.minLength}
        required={props.optional !== true}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {props.hint !== undefined && <span className="sign-in-hint muted">{props.hint}</span>}
    </label>
  );
}

/** Not `type="email"`: browsers reject addresses with non-ASCII letters, such as `tomás@example.com`. */
const controlOf = (type: "text" | "email" | "password" = "text") =>
  type === "email"
    ? ({ type: "text", inputMode: "email", autoCapitalize: "none", spellCheck: false } as const)
    : { type };
