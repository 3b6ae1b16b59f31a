import { useNavigate } from "@tanstack/react-router";
import {
  Archive,
  ArchiveRestore,
  Copy,
  History as HistoryIcon,
  MoreHorizontal,
  Rewind,
  Trash2,
} from "lucide-react";
import type { Schemas } from "../../data/api.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { place } from "../../data/place.ts";
import { perform } from "../../data/use-command.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import type { Draft } from "./draft/use-draft.ts";

interface WorkflowMenuProps {
  readonly workflow: Schemas["Workflow"];
  readonly draft: Draft;
  readonly onBackfill: () => void;
}

function backfillRefusal(
  { environments, trigger, triggers = [] }: Schemas["Workflow"],
  mayTrigger: boolean,
): string | undefined {
  if (!mayTrigger) return "You don't have permission to start workflows.";
  if (!environments[place.environment])
    return `The workflow is not deployed to ${place.environment}.`;
  const types = [trigger, ...triggers].map(({ type }) => type);
  return types.some((type) => type === "event_bus" || type === "schedule")
    ? undefined
    : "Backfill requires an Event or Schedule trigger.";
}

/** Rarely used actions on the whole workflow. */
export function WorkflowMenu({ workflow, draft, onBackfill }: WorkflowMenuProps) {
  const may = useMay();
  const refusalOf = useRefusals();
  const navigate = useNavigate();
  const params = { id: workflow.id };
  const reason = refusalOf("workflows.archive");
  const archive = (): Promise<unknown> =>
    perform(
      "workflows.archive",
      { params },
      {
        said: "Workflow archived. Its triggers are off",
        undo: () => restore(),
      },
    );
  const restore = (): Promise<unknown> =>
    perform(
      "workflows.unarchive",
      { params },
      {
        said: "Workflow restored",
        undo: () => archive(),
      },
    );
  const items: readonly MenuItem[] = [
    {
      label: "Copy workflow ID",
      icon: <Copy className="ico" />,
      onPick: () => void copyText(workflow.id, `${workflow.id} is`),
    },
    {
      label: "Show events",
      icon: <HistoryIcon className="ico" />,
      disabled: refusalOf("events.recent"),
      onPick: () => void navigate({ to: "/events", search: { thing: workflow.id } }),
    },
    {
      label: "Backfill…",
      icon: <Rewind className="ico" />,
      disabled: backfillRefusal(workflow, may("workflows.trigger")),
      onPick: onBackfill,
    },
    {
      label: "Discard changes",
      icon: <Trash2 className="ico" />,
      disabled: draft.isDirty ? undefined : "You have no unsaved changes.",
      onPick: draft.discard,
    },
    workflow.status === "archived"
      ? {
          label: "Restore",
          icon: <ArchiveRestore className="ico" />,
          disabled: reason,
          isApart: true,
          onPick: () => void restore(),
        }
      : {
          label: "Archive",
          icon: <Archive className="ico" />,
          disabled: reason,
          isApart: true,
          onPick: () => void archive(),
        },
  ];
  return (
    <Menu label="More" items={items}>
      <MoreHorizontal />
    </Menu>
  );
}
