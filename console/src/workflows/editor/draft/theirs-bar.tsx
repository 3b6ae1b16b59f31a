import { useOp } from "../../../data/api.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/form/button.tsx";

interface TheirsBarProps {
  readonly workflowId: string;
  readonly onMerge: () => void;
}

/** Returns the author and summary of the newest version. */
export function useNewestVersion(workflowId: string) {
  const input = { params: { id: workflowId }, query: { limit: 1 } };
  return useOp("workflows.list_versions", input).data?.data[0];
}

/** Shows that another user saved while this draft has changes. The draft is not replaced. */
export function TheirsBar({ workflowId, onMerge }: TheirsBarProps) {
  const newest = useNewestVersion(workflowId);
  return (
    <div className="notice theirs-bar" role="status">
      {newest && <Avatar name={newest.author.name} />}
      <span>
        <b>{newest?.author.name ?? "Another user"}</b> saved{" "}
        {newest ? `version ${newest.version}` : "the workflow"} while you were editing. Your changes
        are kept.
      </span>
      <span className="grow" />
      <Button onClick={onMerge}>Review and merge</Button>
    </div>
  );
}
