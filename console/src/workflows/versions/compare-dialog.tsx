import { Rocket, Undo2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useModal } from "../../ui/overlay/modal.ts";
import { type Schemas, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { perform, useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { compareDefinitions } from "../graph/diff.ts";
import type { Definition } from "../graph/graph.ts";
import { DifferenceView } from "./difference-view.tsx";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

const DRAFT = "draft";

interface CompareDialogProps {
  readonly workflow: Schemas["Workflow"];
  readonly definition: Definition;
  readonly versions: readonly Schemas["WorkflowVersion"][];
  readonly first: string;
  readonly locked: string | undefined;
  readonly cannotDeploy: string | undefined;
  readonly onTake: (definition: Definition, label: string) => void;
  readonly onClose: () => void;
}

/** Compares any two versions on one canvas, and offers a rollback to the older one. */
export function CompareDialog(props: CompareDialogProps) {
  const { workflow, versions, first, locked, cannotDeploy, onTake, onClose } = props;
  const dialog = useModal();
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(DRAFT);
  const before = useDefinition(props, from);
  const after = useDefinition(props, to);
  const difference = useMemo(
    () =>
      before.definition && after.definition
        ? compareDefinitions(before.definition, after.definition)
        : undefined,
    [before.definition, after.definition],
  );
  const version = versions.find(({ id }) => id === from);
  const { environment } = place;
  const isOn = workflow.environments[environment]?.versionId === from;
  const rollback = useRollback(workflow);
  const rollBack = (): void =>
    void rollback
      .run({ params: { id: workflow.id }, body: { versionId: from } })
      .then((reply) => reply && onClose());
  const take = (): void => {
    if (before.definition) onTake(before.definition, `Load version ${version?.version}`);
    onClose();
  };
  const error = before.error ?? after.error;
  return (
    <dialog
      ref={dialog}
      className="versions-dialog"
      aria-label="Compare versions"
      onClose={onClose}
    >
      <header>
        <h1>Compare</h1>
        <VersionChoice label="From" {...props} chosen={from} onChoose={setFrom} />
        <VersionChoice label="To" {...props} chosen={to} onChoose={setTo} />
      </header>
      {error && <ErrorNotice error={error} />}
      {!error && !difference && <Loading />}
      {difference && <DifferenceView key={`${from}${to}`} difference={difference} />}
      <footer>
        <Button
          disabled={locked !== undefined || from === DRAFT}
          title={locked ?? "Replaces your draft. You can undo this."}
          onClick={take}
        >
          <Undo2 />
          Load v{version?.version} into the draft
        </Button>
        <CommandButton
          command={{
            isBusy: rollback.isBusy,
            refusal:
              cannotDeploy ??
              rollback.refusal ??
              (from === DRAFT
                ? "Select a version."
                : isOn
                  ? `Already deployed to ${environment}`
                  : undefined),
          }}
          onPress={rollBack}
        >
          <Rocket />
          {rollback.isBusy
            ? "Rolling back…"
            : `Roll ${environment} back to v${version?.version ?? ""}`}
        </CommandButton>
        <span className="grow" />
        <Button look="main" onClick={() => dialog.current?.close()} data-focus>
          Done
        </Button>
      </footer>
    </dialog>
  );
}

/** Deploys an older version to this environment, with an undo action. */
function useRollback({ id, environments }: Schemas["Workflow"]) {
  const { environment } = place;
  const former = environments[environment];
  const undo =
    former &&
    (() =>
      perform(
        "workflows.rollback",
        { params: { id }, body: { versionId: former.versionId } },
        { said: `Version ${former.version} deployed to ${environment} again` },
      ));
  return useCommand("workflows.rollback", {
    said: ({ data }) =>
      `Version ${data.environments[environment]?.version} deployed to ${environment} again`,
    ...(undo && { undo }),
  });
}

function useDefinition({ workflow, definition }: CompareDialogProps, versionId: string) {
  const { data, error } = useOp(
    "workflows.get_version",
    { params: { id: workflow.id, versionId } },
    { enabled: versionId !== DRAFT },
  );
  if (versionId === DRAFT) return { definition, error: null };
  return { definition: data?.data.id === versionId ? data.data.definition : undefined, error };
}

function VersionChoice(props: {
  readonly label: string;
  readonly versions: CompareDialogProps["versions"];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <label className="version-choice">
      <span className="muted">{props.label}</span>
      <Select value={props.chosen} onChange={(event) => props.onChoose(event.target.value)}>
        <option value={DRAFT}>Your draft</option>
        {props.versions.map(({ id, version, label, activeIn }) => (
          <option key={id} value={id}>
            {[`v${version}`, label, activeIn.join(", ")].filter(Boolean).join(" · ")}
          </option>
        ))}
      </Select>
    </label>
  );
}
