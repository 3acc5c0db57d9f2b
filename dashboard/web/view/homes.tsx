/** The homes that the server shows: the name of this one, and the way to the others. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../part/icon.tsx";
import { exported } from "../record/exported.ts";
import { about } from "../state/about.ts";
import { askHomes, type HomeLink } from "../state/server.ts";

/** The homes; none as long as there is but one. */
function useHomes(): readonly HomeLink[] {
  const [homes, setHomes] = useState<readonly HomeLink[]>([]);
  useEffect(() => {
    if (exported === null) void askHomes().then(({ data }) => setHomes(data?.homes ?? []));
  }, []);
  return homes.length < 2 ? [] : homes;
}

/** Links to them. The one that is shown says so. */
const Links = ({ homes }: { homes: readonly HomeLink[] }) => (
  <ul>
    {homes.map(({ name, folder, url, isHere }) => (
      <li key={url}>
        <a class="nav place" href={url} title={folder} aria-current={isHere ? "true" : undefined}>
          <span class="cut">{name}</span>
          {isHere && <Icon name="check" small />}
        </a>
      </li>
    ))}
  </ul>
);

/** Stands at the head of the rail. */
export function HomeName() {
  const homes = useHomes();
  const name = (
    <>
      <span class="logo">
        <Icon name="logo" />
      </span>
      <span class="cut">{about.value.name}</span>
    </>
  );
  if (homes.length === 0) return <p class="home">{name}</p>;
  return (
    <details class="homes">
      <summary class="home" title="Other homes">
        {name}
        <span class="t3" aria-hidden="true">
          ▾
        </span>
      </summary>
      <Links homes={homes} />
    </details>
  );
}

/** On a narrow page they stand with the other views. */
export function HomeList() {
  const homes = useHomes();
  return homes.length === 0 ? null : (
    <>
      <div class="sec gap">
        <h2>Homes</h2>
      </div>
      <Links homes={homes} />
    </>
  );
}
