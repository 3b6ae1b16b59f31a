import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useMemo } from "react";
import { call, type Input, query } from "../../data/api.ts";
import { addDays, findMonday } from "../../changes/index.ts";
import {
  EditorForm,
  LineField,
  NameField,
  TeamSelect,
  useEditor,
} from "../../desk-settings/index.ts";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { LayerList } from "./layer-fields.tsx";
import {
  completeLayers,
  type Schedule,
  type ScheduleDraft,
  toBody,
  toDraft,
} from "./schedule-draft.ts";
import { Strip } from "./strip.tsx";
import { Button } from "../../ui/form/button.tsx";

const [PREVIEW_DAYS, NARROW_DAYS] = [28, 7];
const PAUSE_MS = 300;
const ZONES = Intl.supportedValuesOf("timeZone").map((zone) => ({
  value: zone,
  label: zone.replaceAll("_", " "),
}));

interface ScheduleEditorProps {
  readonly schedule: Schedule | undefined;
  readonly refusal: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** A schedule and its layers, above them four weeks of what they make. */
export function ScheduleEditor({ schedule, refusal, onOpen }: ScheduleEditorProps) {
  const editor = useEditor<ScheduleDraft>({
    initial: toDraft(schedule),
    revision: schedule?.revision,
    stale: "on_call",
    refusal,
    save: async (draft, ifMatch) => {
      const params = { id: schedule?.id ?? "" };
      const body = toBody(draft);
      const options = ifMatch === undefined ? {} : { ifMatch };
      return schedule
        ? (await call("on_call_schedules.update", { params, body }, options)).data
        : (await call("on_call_schedules.create", { body })).data;
    },
    remove: () => call("on_call_schedules.delete", { params: { id: schedule?.id ?? "" } }),
    onOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <div className="scroll rota-edit" tabIndex={0} role="region" aria-label="Schedule">
      <Button look="bare" onClick={() => onOpen(undefined)}>
        <ArrowLeft /> All schedules
      </Button>
      <DraftStrip draft={draft} scheduleId={schedule?.id} />
      <EditorForm
        title={schedule?.name ?? "New schedule"}
        editor={editor}
        consequence="Policies and rules that ask it find nobody there."
      >
        <div className="editor-columns">
          <NameField {...editor} />
          <TeamSelect
            label="Team"
            none="None in particular"
            value={draft.teamId}
            onChange={(teamId) => change({ teamId })}
          />
          <Field label="Time zone" error={errorOf("/timeZone")}>
            {({ id }) => (
              <Combobox
                id={id}
                label="Time zone"
                options={ZONES}
                value={draft.timeZone}
                onChange={(timeZone) => timeZone !== undefined && change({ timeZone })}
              />
            )}
          </Field>
        </div>
        <LineField
          label="What it is for"
          value={draft.description}
          onChange={(description) => change({ description })}
          isOptional
        />
        <LayerList
          layers={draft.layers}
          onChange={(layers) => change({ layers })}
          errorOf={errorOf}
        />
      </EditorForm>
    </div>
  );
}

interface DraftStripProps {
  readonly draft: ScheduleDraft;
  readonly scheduleId: string | undefined;
}

/** What the draft would make: the server's own answer, not a guess. */
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
    return <p className="muted rota-none">Add people to a layer to see whose turn is when.</p>;
  }
  if (error) return <p className="muted rota-none">{error.message}</p>;
  const plan = data?.data;
  return (
    <Strip
      label="What these layers make"
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
