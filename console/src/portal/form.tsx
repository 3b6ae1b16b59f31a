/** The form of the portal: for a catalog item, or to report an incident. */
import { ApiError } from "@millrace/client";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  type FieldError,
  findMissing,
  Form,
  initialValue,
  type Schema,
  toSendable,
} from "../form/index.ts";
import { client, upload, wordsOf } from "./client.ts";
import { start } from "./start.ts";
import { PlainButton } from "../ui/form/button.tsx";

export function showForm(): void {
  const place = document.querySelector("#form");
  if (place) createRoot(place).render(<PortalForm />);
}

type Values = Readonly<Record<string, unknown>>;

function PortalForm() {
  const isBroken = start.form === "broken";
  // From the server, which validates the submitted values with it.
  const schema = start.schema as Schema;
  const key = `millrace.portal.form.${start.itemId ?? "broken"}`;
  const [value, setValue] = useState<unknown>(() => readDraft(key) ?? emptyForm(schema));
  const [hasDraft, setHasDraft] = useState(() => readDraft(key) !== undefined);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    if (hasDraft) localStorage.setItem(key, JSON.stringify(value));
  }, [key, value, hasDraft]);
  const submit = async (): Promise<void> => {
    const missing = findMissing(schema, value);
    setErrors(missing);
    setProblem(undefined);
    if (missing.length > 0) return;
    setIsBusy(true);
    try {
      // An object, as defined by the schema.
      const number = await (isBroken ? raise : ask)(toSendable(schema, value) as Values);
      localStorage.removeItem(key);
      const { prefix, workspace, environment } = start;
      const query = environment === "production" ? "" : `?environment=${environment}`;
      location.assign(`${prefix}/portal/${workspace}/tickets/${number}${query}`);
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiError && error.errors.length > 0) setErrors(error.errors);
      else setProblem(wordsOf(error));
    }
  };
  const startAgain = (): void => {
    localStorage.removeItem(key);
    setHasDraft(false);
    setValue(emptyForm(schema));
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Form
        schema={schema}
        value={value}
        errors={errors}
        base={isBroken ? "" : "/values"}
        isDisabled={isBusy}
        upload={upload}
        onChange={(next) => {
          setValue(next);
          setHasDraft(true);
        }}
      />
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="form-end">
        <PlainButton className="primary" disabled={isBusy}>
          {isBusy ? "Sending…" : start.needsApproval ? "Send for approval" : "Send"}
        </PlainButton>
        {hasDraft && (
          <p>
            Draft saved on this device ·{" "}
            <PlainButton type="button" className="plain" onClick={startAgain}>
              Discard draft
            </PlainButton>
          </p>
        )}
      </div>
    </form>
  );
}

function emptyForm(schema: Schema): unknown {
  const value = initialValue(schema);
  return start.title && start.form === "broken"
    ? { ...(value as Values), title: start.title }
    : value;
}

function readDraft(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

async function ask(values: Values): Promise<string> {
  const body = { itemId: start.itemId ?? "", values };
  return (await client.call("requests.submit", { body })).data.number;
}

/** Creates an incident with its files; if a file can't be attached, the ticket's page shows that. */
async function raise({ title, description, files }: Values): Promise<string> {
  const words = typeof description === "string" ? { description } : {};
  const { data } = await client.call("incidents.create", {
    body: { title: typeof title === "string" ? title : "", ...words },
  });
  for (const fileId of Array.isArray(files) ? files : []) {
    await client.call("incidents.add_attachment", {
      params: { id: data.id },
      body: { fileId: String(fileId) },
    });
  }
  return data.number;
}
