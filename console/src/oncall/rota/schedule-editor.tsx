import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useMemo } from "react";
import { type Input, query } from "../../data/api.ts";
import { addDays, findMonday } from "../../changes/index.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TeamField } from "../../data/options/search-field.tsx";
import { EditorPanel } from "../../desk-settings/index.ts";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ZoneField } from "../../ui/form/pickers/zone-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { LayerList } from "./layer-fields.tsx";
import { completeLayers, type Schedule, type ScheduleDraft, toDraft } from "./schedule-draft.ts";
import { Strip } from "./strip.tsx";

const [PREVIEW_DAYS, NARROW_DAYS] = [28, 7];
const PAUSE_MS = 300;

interface ScheduleEditorProps {
  readonly schedule: Schedule | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** The form of a schedule and its layers, below a preview of four weeks. */
export function ScheduleEditor({ schedule, onOpen }: ScheduleEditorProps) {
  const form = useForm<ScheduleOperation, ScheduleDraft>(
    schedule ? "on_call_schedules.update" : "on_call_schedules.create",
    {
      params: { id: schedule?.id ?? "" },
      initial: toDraft(schedule),
      version: revisionOf(schedule),
      said: ({ data }) => `${data.name} saved`,
      onDone: ({ data }) => {
        if (!schedule) onOpen(data.id);
      },
    },
  );
  const { field } = form;
  return (
    <div className="scroll rota-edit" tabIndex={0} role="region" aria-label="Schedule">
      <Button look="bare" onClick={() => onOpen(undefined)}>
        <ArrowLeft /> All schedules
      </Button>
      <DraftStrip draft={form.values} scheduleId={schedule?.id} />
      <EditorPanel
        form={form}
        thing={schedule}
        title={schedule?.name ?? "New schedule"}
        remove="on_call_schedules.delete"
        consequence="Escalation policies and assignment rules that use it no longer find a person on call."
        onRemoved={() => onOpen(undefined)}
      >
        <Grid min="m">
          <TextField {...field("name")} />
          <TeamField {...field("teamId")} label="Team" placeholder="None" />
          <ZoneField {...field("timeZone")} label="Time zone" />
        </Grid>
        <TextField {...field("description")} label="Description" />
        <LayerList field={field("layers")} />
      </EditorPanel>
    </div>
  );
}

type ScheduleOperation = "on_call_schedules.create" | "on_call_schedules.update";

interface DraftStripProps {
  readonly draft: ScheduleDraft;
  readonly scheduleId: string | undefined;
}

/** A preview of the draft, computed by the server. */
function DraftStrip({ draft, scheduleId }: DraftStripProps) {
  const first = useMemo(() => findMonday(new Date()), []);
  const days = useIsNarrow() ? NARROW_DAYS : PREVIEW_DAYS;
  const layers = completeLayers(draft.layers);
  const body = useDebounced(
    JSON.stringify({
      layers,
      timeZone: draft.timeZone,
      from: first.toISOString(),
      until: addDays(first, days).toISOString(),
      ...(scheduleId !== undefined && { scheduleId }),
    }),
    PAUSE_MS,
  );
  const { data, error } = useQuery({
    ...query("on_call_schedules.preview", {
      body: JSON.parse(body) as Input<"on_call_schedules.preview">["body"],
    }),
    enabled: layers.length > 0,
  });
  if (layers.length === 0) {
    return <p className="muted rota-none">Add people to a layer to see the shifts.</p>;
  }
  if (error) return <p className="muted rota-none">{error.message}</p>;
  const plan = data?.data;
  return (
    <Strip
      label="Preview of the shifts"
      first={first}
      days={days}
      lanes={[
        ...(plan && plan.layers.length > 1
          ? plan.layers.map(({ name, shifts }, n) => ({ key: `${n}`, label: name, blocks: shifts }))
          : []),
        {
          key: "main",
          label: "On call",
          isMain: true,
          blocks: (plan?.shifts ?? []).map((shift) => ({
            ...shift,
            isOverride: shift.overrideId !== null,
          })),
        },
      ]}
    />
  );
}
