import { useRoute } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { nextTick, onMounted, watch } from "vue"
import "./style.css"

/** The start and the page for wrong addresses have no element `main`: their content is given its role. */
const markMain = () => {
  const content = document.getElementById("VPContent")
  if (content?.querySelector("main") === null) content.setAttribute("role", "main")
  else content?.removeAttribute("role")
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    onMounted(markMain)
    watch(() => route.path, () => nextTick(markMain))
  }
}
