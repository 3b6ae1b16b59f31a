import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CodeEditor } from "../../code/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { Form } from "../../form/index.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { guessSchema } from "./payload.ts";

type Payload = Readonly<Record<string, unknown>>;

/** A message by form: its fields are those that messages of this type had before, or JSON where there were none. */
export function PublishDialog(props: {
  readonly topic: string;
  readonly topics: readonly Schemas["Topic"][];
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const [topic, setTopic] = useState(props.topic);
  const [type, setType] = useState("");
  const [json, setJson] = useState<string>();
  const [fields, setFields] = useState<Payload>();
  const past = useOp(
    "events.recent",
    { query: { topic, limit: 20, ...(type !== "" && { type }) } },
    { enabled: topic !== "" && /^[\w.-]*$/.test(type) },
  ).data?.data;
  const [newest] = past ?? [];
  const payloads = past?.filter((event) => event.type === newest?.type).map(({ data }) => data);
  const schema = guessSchema(payloads ?? []);
  const isForm = schema !== undefined && json === undefined;
  const value: Payload = fields ?? newest?.data ?? {};
  const text = json ?? JSON.stringify(value, null, 2);
  const payload = isForm ? value : readObject(text);
  const name = type === "" ? (newest?.type ?? "") : type;
  const publish = async (): Promise<void> => {
    if (payload === undefined || topic === "" || name === "") return;
    try {
      const { data } = await call("topics.publish", {
        params: { name: topic },
        body: { type: name, payload },
      });
      notify(`Published on ${topic}.`);
      props.onClose();
      void navigate({ to: "/events", search: { topic, open: data.id } });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <Dialog
      title="Publish a message"
      isWide
      onClose={props.onClose}
      onSubmit={() => void publish()}
      footer={
        <button
          className="btn primary"
          type="submit"
          disabled={payload === undefined || topic === "" || name === ""}
        >
          Publish
        </button>
      }
    >
      <Field label="Topic" help="A new name makes a new topic.">
        {(control) => (
          <input
            {...control}
            className="field mono"
            list="publish-topics"
            spellCheck={false}
            value={topic}
            onChange={({ target }) => setTopic(target.value)}
          />
        )}
      </Field>
      <datalist id="publish-topics">
        {props.topics
          .filter(({ platform }) => !platform)
          .map((one) => (
            <option key={one.name} value={one.name} />
          ))}
      </datalist>
      <Field label="Type" help="Dotted words, such as order.shipped.">
        {(control) => (
          <input
            {...control}
            className="field mono"
            spellCheck={false}
            placeholder={newest?.type ?? "order.shipped"}
            value={type}
            onChange={({ target }) => setType(target.value)}
          />
        )}
      </Field>
      {schema && (
        <p className="row">
          <button
            type="button"
            className="btn bare"
            onClick={() => setJson(json === undefined ? text : undefined)}
          >
            {json === undefined ? "Write it as JSON" : "Back to the form"}
          </button>
        </p>
      )}
      {isForm ? (
        <Form schema={schema} value={value} onChange={(next) => setFields(next as Payload)} />
      ) : (
        <Field
          label="Payload"
          error={payload === undefined ? "This is not a JSON object." : undefined}
        >
          {() => (
            <CodeEditor label="Payload" language="json" isBlock value={text} onChange={setJson} />
          )}
        </Field>
      )}
    </Dialog>
  );
}

function readObject(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Payload)
      : undefined;
  } catch {
    return undefined;
  }
}
