import type { Session } from "./state/session.svelte";
import type { Plane } from "./plane/plane";

declare global {
  interface Window {
    /** State for tests and the curious. */
    lodmem: { session: Session; screen: unknown; calm: () => boolean; plane?: Plane; formulas: object };
  }
}
