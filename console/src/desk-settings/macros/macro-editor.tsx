import { call, type Schemas } from "../../data/api.ts";
import { EditorForm, LineField } from "../frame/editor-form.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { TeamSelect } from "../frame/team-select.tsx";
import { useEditor } from "../frame/use-editor.ts";
import { matching } from "../teams/teams.tsx";
import { KindChecks } from "./kind-checks.tsx";
import { MacroSimulation } from "./macro-simulation.tsx";
import { MacroTrial } from "./macro-trial.tsx";
import { newStep, type Step, toSentStep } from "./macro-steps.ts";
import { StepList } from "./step-list.tsx";

type Macro = Schemas["ListedMacro"];

interface MacroDraft {
  readonly name: string;
  readonly description: string;
  readonly kinds: Macro["kinds"];
  readonly teamId: string | null;
  readonly position: number;
  readonly steps: readonly Step[];
}

interface MacroEditorProps {
  readonly macro: Macro | undefined;
  readonly refusal: string | undefined;
  /** Of a new one: behind the others. */
  readonly position: number;
}

/** A macro beside what it would do to a ticket now. */
export function MacroEditor({ macro, refusal, position }: MacroEditorProps) {
  const [, setOpen] = useOpen();
  const editor = useEditor<MacroDraft>({
    initial: {
      name: macro?.name ?? "",
      description: macro?.description ?? "",
      kinds: macro?.kinds ?? [],
      teamId: macro?.teamId ?? null,
      position: macro?.position ?? position,
      steps: macro?.steps ?? [newStep("take")],
    },
    revision: macro?.revision,
    stale: "macros.",
    refusal,
    save: async (draft, ifMatch) => {
      const body = { ...draft, steps: draft.steps.map(toSentStep) };
      return macro
        ? (await call("macros.update", { params: { id: macro.id }, body }, matching(ifMatch))).data
        : (await call("macros.create", { body })).data;
    },
    remove: () => call("macros.delete", { params: { id: macro?.id ?? "" } }),
    onOpen: setOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={macro?.name ?? "New macro"}
      editor={editor}
      consequence="What it did to tickets stays. It is gone from the keys of the desk."
      aside={
        <>
          <MacroTrial steps={draft.steps} kinds={draft.kinds} />
          {macro && isOther(macro, draft) && (
            <MacroSimulation macro={macro} steps={draft.steps} kinds={draft.kinds} />
          )}
        </>
      }
    >
      <LineField
        label="Name"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errorOf("/name")}
        maxLength={100}
      />
      <StepList steps={draft.steps} errorOf={errorOf} onChange={(steps) => change({ steps })} />
      <KindChecks kinds={draft.kinds} onChange={(kinds) => change({ kinds })} />
      <div className="editor-columns">
        <TeamSelect
          label="For whom"
          none="All teams"
          value={draft.teamId}
          onChange={(teamId) => change({ teamId })}
        />
        <LineField
          label="Place among the others"
          value={String(draft.position)}
          onChange={(text) => change({ position: Number(text.replaceAll(/\D/g, "")) })}
          error={errorOf("/position")}
        />
      </div>
    </EditorForm>
  );
}

/** Whether a draft would do something else than what is saved. */
function isOther(macro: Macro, { steps, kinds }: MacroDraft): boolean {
  return JSON.stringify([macro.steps, macro.kinds]) !== JSON.stringify([steps, kinds]);
}
