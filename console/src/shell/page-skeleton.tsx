import { useRouterState } from "@tanstack/react-router";
import { Loading } from "../ui/feedback.tsx";
import { screenAt } from "./areas.ts";

/** The placeholder of a page whose code is loading: its title, and skeleton lines. */
export function PageSkeleton() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <div className="page">
      <div className="page-head" aria-hidden="true">
        <strong className="page-skeleton-name">{screenAt(path)?.label}</strong>
      </div>
      <Loading rows={10} />
    </div>
  );
}
