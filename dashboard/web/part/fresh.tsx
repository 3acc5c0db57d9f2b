/** What waits above a list whose rows stand still. */
import { Button } from "./bits.tsx";

interface FreshProps {
  /** How many rows wait. */
  waiting: number;
  /** Lets them in, and shows the beginning of the list. */
  show: () => void;
}

/** Says how many new rows wait, and shows them; nothing where none does. */
export const Fresh = ({ waiting, show }: FreshProps) =>
  waiting === 0 ? null : (
    <Button
      kind="small fresh"
      run={() => {
        show();
        // What has the focus would hold the list again.
        (document.activeElement as HTMLElement | null)?.blur();
      }}
    >
      {waiting} new
    </Button>
  );
