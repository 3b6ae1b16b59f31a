import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CodeEditor } from "../../code/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { Form } from "../../form/index.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { guessSchema } from "./payload.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Payload = Readonly<Record<string, unknown>>;

/**
 * The message as it stands: its fields are those that messages of this type had before, or JSON where there were none.
 */
function useMessageDraft(firstTopic: string) {
  const [topic, setTopic] = useState(firstTopic);
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
  const value: Payload = fields ?? newest?.data ?? {};
  const text = json ?? JSON.stringify(value, null, 2);
  const isForm = schema !== undefined && json === undefined;
  const name = type === "" ? (newest?.type ?? "") : type;
  const payload = isForm ? value : readObject(text);
  return {
    topic,
    setTopic,
    type,
    setType,
    hint: newest?.type ?? "order.shipped",
    formSchema: isForm ? schema : undefined,
    /** Changes between form and JSON; undefined where there is no form. */
    turn: schema && (() => setJson(isForm ? text : undefined)),
    value,
    setFields,
    text,
    setJson,
    message: payload && topic !== "" && name !== "" ? { type: name, payload } : undefined,
    isObject: payload !== undefined,
  };
}

type Draft = ReturnType<typeof useMessageDraft>;

/** A message by form, on a topic that is there or on a new one. */
export function PublishDialog(props: {
  readonly topic: string;
  readonly topics: readonly Schemas["Topic"][];
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const draft = useMessageDraft(props.topic);
  const { topic, message } = draft;
  const publish = async (): Promise<void> => {
    if (!message) return;
    try {
      const { data } = await call("topics.publish", { params: { name: topic }, body: message });
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
        <Button look="main" type="submit" disabled={!message}>
          Publish
        </Button>
      }
    >
      <NameFields draft={draft} topics={props.topics} />
      {draft.turn && (
        <p className="row">
          <Button look="bare" type="button" onClick={draft.turn}>
            {draft.formSchema ? "Write it as JSON" : "Back to the form"}
          </Button>
        </p>
      )}
      <PayloadField draft={draft} />
    </Dialog>
  );
}

function NameFields(props: {
  readonly draft: Draft;
  readonly topics: readonly Schemas["Topic"][];
}) {
  const { topic, setTopic, type, setType, hint } = props.draft;
  const published = props.topics.filter(({ platform }) => !platform);
  return (
    <>
      <Field label="Topic" help="A new name makes a new topic.">
        {(control) => (
          <TextInput
            {...control}
            isMono
            list="publish-topics"
            spellCheck={false}
            value={topic}
            onChange={({ target }) => setTopic(target.value)}
          />
        )}
      </Field>
      <datalist id="publish-topics">
        {published.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Type" help="Dotted words, such as order.shipped.">
        {(control) => (
          <TextInput
            {...control}
            isMono
            spellCheck={false}
            placeholder={hint}
            value={type}
            onChange={({ target }) => setType(target.value)}
          />
        )}
      </Field>
    </>
  );
}

function PayloadField({ draft }: { readonly draft: Draft }) {
  const { formSchema, value, setFields, text, setJson, isObject } = draft;
  if (formSchema) {
    return (
      <Form schema={formSchema} value={value} onChange={(next) => setFields(next as Payload)} />
    );
  }
  return (
    <Field label="Payload" error={isObject ? undefined : "This is not a JSON object."}>
      {() => <CodeEditor label="Payload" language="json" isBlock value={text} onChange={setJson} />}
    </Field>
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
