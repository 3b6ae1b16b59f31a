import { useNavigate } from "@tanstack/react-router";
import { CodeField } from "../../code/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { type Form as FormOf, useForm } from "../../data/form/use-form.ts";
import { Form } from "../../form/index.ts";
import { Button } from "../../ui/form/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Row } from "../../ui/layout/layout.tsx";
import { guessSchema, type PayloadSchema } from "./payload.ts";

type Payload = Readonly<Record<string, unknown>>;

interface MessageDraft {
  readonly topic: string;
  /** The type; empty for that of the newest message. */
  readonly kind: string;
  /** The input of the form, or JSON, which takes precedence. */
  readonly fields: Payload | null;
  readonly json: string | null;
}

/** Earlier messages: the form has their fields, or accepts JSON without earlier messages. */
interface Past {
  readonly newest: Pick<Schemas["Event"], "type" | "data"> | undefined;
  readonly schema: PayloadSchema | undefined;
}

function usePast({ topic, kind }: MessageDraft): Past {
  const past = useOp(
    "events.recent",
    { query: { topic, limit: 20, ...(kind !== "" && { type: kind }) } },
    { enabled: topic !== "" && /^[\w.-]*$/.test(kind) },
  ).data?.data;
  const [newest] = past ?? [];
  const alike = past?.filter((event) => event.type === newest?.type).map(({ data }) => data);
  return { newest, schema: guessSchema(alike ?? []) };
}

const toMessage = ({ kind, fields, json }: MessageDraft, { newest }: Past) => ({
  type: kind === "" ? (newest?.type ?? "") : kind,
  payload: json === null ? (fields ?? newest?.data ?? {}) : (readObject(json) ?? {}),
});

interface PublishDialogProps {
  readonly topic: string;
  readonly topics: readonly Schemas["Topic"][];
  readonly onClose: () => void;
}

/** Publishes a message with a form, to an existing topic or a new one. */
export function PublishDialog({ topics, onClose, ...props }: PublishDialogProps) {
  const navigate = useNavigate();
  const form: FormOf<MessageDraft> = useForm("topics.publish", {
    params: { name: props.topic },
    initial: { topic: props.topic, kind: "", fields: null, json: null },
    send: (draft: MessageDraft) =>
      call("topics.publish", { params: { name: draft.topic }, body: toMessage(draft, past) }),
    check: ({ topic, json }) => ({
      topic: topic === "" ? "is required" : undefined,
      json: json !== null && !readObject(json) ? "is not a JSON object" : undefined,
    }),
    said: "Message published.",
    onDone: ({ data }) => {
      onClose();
      void navigate({ to: "/events", search: { topic: form.values.topic, open: data.id } });
    },
  });
  const past: Past = usePast(form.values);
  const { field, values } = form;
  const { payload } = toMessage(values, past);
  const text = values.json ?? JSON.stringify(payload, null, 2);
  const isForm = past.schema !== undefined && values.json === null;
  return (
    <FormDialog form={form} title="Publish message" act="Publish" isWide onClose={onClose}>
      <TextField
        {...field("topic")}
        help="Enter a new name to create a topic. Example: orders"
        suggestions={topics.filter(({ platform }) => !platform).map(({ name }) => name)}
        isMono
        isRequired
      />
      <TextField
        {...field("kind")}
        label="Type"
        help="Words separated by dots. Example: order.shipped"
        placeholder={past.newest?.type ?? "order.shipped"}
        isMono
        isRequired
      />
      {past.schema && (
        <Row>
          <Button
            look="bare"
            type="button"
            onClick={() => form.change({ json: isForm ? text : null })}
          >
            {isForm ? "Edit as JSON" : "Edit in form"}
          </Button>
        </Row>
      )}
      {isForm && past.schema ? (
        <Form
          schema={past.schema}
          value={payload}
          onChange={(next) => form.change({ fields: next as Payload })}
          errors={form.errorsOf("fields")}
        />
      ) : (
        <CodeField {...field("json")} value={text} label="Payload" language="json" isRequired />
      )}
    </FormDialog>
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
