import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TeamField } from "../../data/options/search-field.tsx";
import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { ChoicesField } from "../../ui/form/choice-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { EditorPanel } from "../frame/editor-panel.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { MacroSimulation } from "./macro-simulation.tsx";
import { MacroTrial } from "./macro-trial.tsx";
import { newStep, type Step, toSentStep } from "./macro-steps.ts";
import { StepList } from "./step-list.tsx";

type Macro = Schemas["ListedMacro"];

interface MacroEditorProps {
  readonly macro: Macro | undefined;
  /** The position of a new macro: after all others. */
  readonly position: number;
}

/** The form of a macro, next to its effect on a sample ticket. */
export function MacroEditor({ macro, position }: MacroEditorProps) {
  const [, setOpen] = useOpen();
  const form = useForm(macro ? "macros.update" : "macros.create", {
    params: { id: macro?.id ?? "" },
    initial: macro ?? { kinds: [], position, steps: [newStep("take")] },
    version: revisionOf(macro),
    encode: { steps: (steps) => steps.map(toSentStep) },
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      if (!macro) setOpen(data.id);
    },
  });
  const { steps = [], kinds = [] } = form.values;
  const trial = { steps: steps ?? [], kinds: kinds ?? [] };
  return (
    <EditorPanel
      form={form}
      thing={macro}
      title={macro?.name ?? "New macro"}
      remove="macros.delete"
      consequence="Tickets keep the changes that this macro made. Its keyboard shortcut on the desk is removed."
      onRemoved={() => setOpen(undefined)}
      aside={
        <>
          <MacroTrial {...trial} />
          {macro && isOther(macro, trial) && <MacroSimulation macro={macro} {...trial} />}
        </>
      }
    >
      <TextField {...form.field("name")} />
      <StepList field={form.field("steps")} />
      <ChoicesField
        {...form.field("kinds")}
        options={TICKET_KINDS}
        help="Default: all ticket types"
      />
      <Grid min="m">
        <TeamField {...form.field("teamId")} label="Team" placeholder="All teams" />
        <NumberField {...form.field("position")} label="Position" />
      </Grid>
    </EditorPanel>
  );
}

interface Trial {
  readonly steps: readonly Step[];
  readonly kinds: Macro["kinds"];
}

/** Returns whether the draft would have a different effect than the saved macro. */
function isOther(macro: Macro, { steps, kinds }: Trial): boolean {
  return JSON.stringify([macro.steps, macro.kinds]) !== JSON.stringify([steps, kinds]);
}
