import { Construction } from "lucide-react";
import type { Me } from "../../data/people.ts";

/** Shows why changes are rejected. */
export function MaintenanceBanner({ me }: { readonly me: Me | undefined }) {
  if (!me?.maintenance) return null;
  const { message } = me.maintenance;
  return (
    <div className="offline" role="status">
      <Construction className="ico" />
      <span className="grow">
        Maintenance: everything can be read, and{" "}
        {me.isOperator ? "only operators change anything." : "nothing can be changed for now."}{" "}
        {message}
      </span>
    </div>
  );
}
