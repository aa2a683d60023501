import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import App from "./App.svelte";
import { screen } from "./state/app.svelte";

screen.setTheme(screen.theme);
mount(App, { target: document.getElementById("page")! });
