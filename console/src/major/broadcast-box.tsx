import { STATUS_NOTICE_EFFECT, STATUS_NOTICE_STATUS } from "@millrace/client/enums";
import { choicesOf } from "../ui/form/choices.ts";
import { Send } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { type Form, useForm } from "../data/form/use-form.ts";
import { useMay } from "../data/people.ts";
import { freeField } from "../ui/form/binding.ts";
import { CheckField, ChoicesField, SelectField } from "../ui/form/choice-field.tsx";
import { InlineForm } from "../ui/form/inline-form.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { Grid, Stack } from "../ui/layout/layout.tsx";
import type { Room } from "./room-data.ts";

type Notice = Schemas["StatusNotice"];

const STATUSES = choicesOf(STATUS_NOTICE_STATUS, {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
});

const EFFECTS = choicesOf(STATUS_NOTICE_EFFECT, {
  degraded: "Degraded",
  down: "Down",
});

interface Draft {
  readonly message: string;
  readonly title: string;
  readonly status: Notice["status"];
  readonly effect: NonNullable<Notice["effect"]>;
  readonly componentIds: readonly string[];
}

/** Sends a message to all involved people, and optionally publishes it unchanged. */
export function BroadcastBox({ room }: { readonly room: Room }) {
  const { incident, broadcasts } = room;
  const may = useMay();
  const page = useOp("status_page.get", undefined, { enabled: may("status_page.get") }).data?.data;
  const [isPublic, setPublic] = useState(false);
  const last = broadcasts.find(({ statusPage }) => statusPage)?.statusPage;
  const form = useForm("incidents.broadcast", {
    params: { id: incident.id },
    // The last public message is the default.
    initial: {
      message: "",
      title: last?.title ?? "",
      status: last?.status ?? "investigating",
      effect: last?.effect ?? "degraded",
      componentIds: last?.componentIds ?? [],
    },
    toBody: ({ message, title, ...notice }: Draft) => ({
      message,
      ...(isPublic && { statusPage: { ...notice, ...(title !== "" && { title }) } }),
    }),
    said: isPublic
      ? "Update sent and published on the status page."
      : "Update sent to all people involved.",
    startsOver: true,
  });
  return (
    <div className="broadcast">
      <InlineForm
        form={form}
        label="Send update"
        isMain
        keys="mod+Enter"
        act={
          <>
            <Send /> Send update
          </>
        }
        others={
          page?.isOn === true && (
            <CheckField
              {...freeField("isPublic", isPublic, (isOn) => setPublic(isOn === true))}
              label="Also publish on the status page"
            />
          )
        }
      >
        <TextAreaField
          {...form.field("message")}
          label="Update message"
          hidesLabel
          rows={2}
          placeholder={
            form.refusal ?? "Describe the impact, the current work and the time of the next update."
          }
        />
        {isPublic && <PublicFields form={form} />}
      </InlineForm>
    </div>
  );
}

function PublicFields({ form }: { readonly form: Form<Draft> }) {
  const components = useOp("status_components.list", { query: { limit: 100 } }).data?.data ?? [];
  return (
    <Stack role="group" aria-label="Status page" gap={5}>
      <TextField
        {...form.field("title")}
        label="Title on the status page"
        placeholder="Example: Card payments fail"
      />
      <Grid min="m">
        <SelectField {...form.field("status")} isRequired options={STATUSES} />
        <SelectField {...form.field("effect")} isRequired options={EFFECTS} />
      </Grid>
      {components.length > 0 && (
        <ChoicesField
          {...form.field("componentIds")}
          label="Components"
          options={components.map(({ id, name }) => [id, name])}
        />
      )}
    </Stack>
  );
}
