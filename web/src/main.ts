import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import { parseLink } from "./lib/url";
import { loader, screen, session } from "./state/app.svelte";
import { openLink } from "./state/link";

// The data is on its way while the browser reads what draws it.
const link = parseLink(location.search);
screen.setTheme(screen.theme);
openLink(session, link);
void loader.start(link);
const { default: App } = await import("./App.svelte");
mount(App, { target: document.getElementById("page")!, props: { link } });
