import { Archive, ArchiveRestore, Copy, MoreHorizontal } from "lucide-react";
import { useId, useRef } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { notify, notifyError } from "../../ui/toast.tsx";

const WIDTH = 240;

/** What is done rarely to a whole workflow. */
export function Menu({
  workflow,
}: {
  readonly workflow: Schemas["Workflow"];
  readonly isLocked: boolean;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const may = useMay();
  const params = { id: workflow.id };
  const isArchived = workflow.status === "archived";
  const act = async (what: () => Promise<unknown>, said: string): Promise<void> => {
    try {
      await what();
      notify(said);
    } catch (error) {
      notifyError(error);
    }
  };
  const reason = may("workflows:write") ? undefined : "That takes workflows:write.";
  return (
    <>
      <button
        ref={button}
        className="btn bare icon"
        aria-label="More"
        title="More"
        popoverTarget={id}
      >
        <MoreHorizontal />
      </button>
      <div
        id={id}
        popover="auto"
        className="editor-menu"
        role="menu"
        aria-label="More"
        onBeforeToggle={(event) => {
          const at = button.current?.getBoundingClientRect();
          if (!at) return;
          const { style } = event.currentTarget;
          style.left = `${Math.max(8, Math.min(at.right - WIDTH, innerWidth - WIDTH - 8))}px`;
          style.top = `${at.bottom + 6}px`;
        }}
      >
        <button
          role="menuitem"
          popoverTarget={id}
          popoverTargetAction="hide"
          onClick={() =>
            void act(() => navigator.clipboard.writeText(workflow.id), `${workflow.id} is copied`)
          }
        >
          <Copy className="ico" />
          Copy its id
        </button>
        {isArchived ? (
          <button
            role="menuitem"
            popoverTarget={id}
            popoverTargetAction="hide"
            disabled={reason !== undefined}
            title={reason}
            onClick={() =>
              void act(() => call("workflows.unarchive", { params }), "It is out of the archive")
            }
          >
            <ArchiveRestore className="ico" />
            Take it out of the archive
          </button>
        ) : (
          <button
            role="menuitem"
            popoverTarget={id}
            popoverTargetAction="hide"
            disabled={reason !== undefined}
            title={reason ?? "Its triggers are turned off. It can be taken out again."}
            onClick={() =>
              void act(
                () => call("workflows.archive", { params }),
                "It is archived, and its triggers are off",
              )
            }
          >
            <Archive className="ico" />
            Archive it
          </button>
        )}
      </div>
    </>
  );
}
